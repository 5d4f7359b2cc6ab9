/** A server of Vault's API, real or a stand-in. */
export interface VaultServer {
  /** Without a final slash. */
  readonly url: string;
  readonly rootToken: string;
  readonly unsealKey: string;
  /** The certificate of the CA of its address, in PEM, if it is one with TLS. */
  readonly certificate?: string;
  close(): Promise<void>;
}
