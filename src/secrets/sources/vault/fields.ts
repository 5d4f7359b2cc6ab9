/** Fields of `!vault`: a field of a secret in a KV secrets engine, and how to get at it. */
export interface VaultFields {
  readonly path: string;
  readonly field: string;
  readonly mount?: string;
  readonly version?: number;
  readonly kvVersion?: number;
  readonly address?: string;
  readonly namespace?: string;
  readonly caCertFile?: string;
  readonly auth?: string;
  readonly authMount?: string;
  readonly role?: string;
  readonly roleId?: string;
  readonly secretIdVariable?: string;
  readonly tokenVariable?: string;
  readonly jwtVariable?: string;
  readonly jwtFile?: string;
  readonly audience?: string;
}
