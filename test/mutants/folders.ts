/** Source folder and the tests that must detect mutants in it. */
export interface MutatedFolder {
  /** Patterns for files to change. */
  readonly mutate: readonly string[];
  /** Patterns for test files, quick files first because the first failure ends a run. */
  readonly tests: readonly string[];
}

/** Quick tests of reads and writes through the command. */
const writes = [
  ...["test/lifecycle/write.test.ts", "test/engine/writing.test.ts", "test/engine/delete.test.ts"],
  ...["test/failures/echoes.test.ts", "test/engine/interrupted.test.ts", "test/engine/recreated.test.ts"],
];
const provider = "test/terraform/unit/*.test.ts";

export const mutatedFolders: Readonly<Record<string, MutatedFolder>> = {
  lifecycle: {
    mutate: ["src/core/lifecycle/**/*.ts"],
    tests: [
      ...[...writes, provider, "test/engine/voices-by-profile.test.ts", "test/failures/unreadable.test.ts"],
      ...["test/failures/unseen-and-omitted.test.ts", "test/tokens/mint.test.ts", "test/cli/token.test.ts"],
      ...["test/lifecycle/{entry-points,deletes,rotated-secret}.test.ts"],
    ],
  },
  gates: {
    mutate: ["src/operations/gates/**/*.ts"],
    tests: [
      ...["test/operations/needs-secrets.test.ts", "test/engine/thresholds.test.ts", "test/cli/idle.test.ts"],
      ...["test/failures/saved-plan.test.ts", "test/cli/environments.test.ts", "test/cli/prune.test.ts"],
      ...["test/cli/apply.test.ts", "test/cli/hold.test.ts", "test/policy/*.test.ts"],
      ...["test/operations/gates.test.ts", "test/review/reviewed.test.ts"],
    ],
  },
  approvals: {
    mutate: ["src/operations/review/approvals.ts"],
    tests: [
      ...["test/review/unapproved-merge.test.ts", "test/review/approvals.test.ts"],
      ...[
        "test/review/dispatched-jobs.test.ts",
        "test/review/reviewed.test.ts",
        "test/sync/reviewed.test.ts",
      ],
    ],
  },
  sync: {
    mutate: ["src/entrypoints/sync/**/*.ts"],
    tests: [
      ...["test/sync/log.test.ts", "test/sync/loop.test.ts", "test/sync/server.test.ts"],
      ...["test/sync/holds.test.ts", "test/sync/other-runs.test.ts", "test/sync/cycles.test.ts"],
      ...["test/sync/projects.test.ts", "test/sync/connections.test.ts", "test/sync/notices.test.ts"],
      ...["test/sync/reviewed.test.ts", "test/security/serving.test.ts"],
    ],
  },
  engine: {
    mutate: ["src/core/engine/**/*.ts"],
    tests: [
      ...[
        "test/engine/plan.test.ts",
        "test/engine/plan-properties.test.ts",
        "test/engine/run-in-order.test.ts",
      ],
      ...[
        ...writes,
        "test/engine/[!il]*.test.ts",
        "test/failures/drift.test.ts",
        "test/cli/undeclared.test.ts",
      ],
      ...["test/failures/{answers,unreadable,unseen-and-omitted,ignored-fields}.test.ts"],
      ...["test/cli/{pull,drift,rollback,target,hold,prune,plan-locations}.test.ts"],
      ...["test/secrets/{rotation,versions,unread}.test.ts", "test/failures/{state,ids,deployments}.test.ts"],
      ...["test/lifecycle/*.test.ts", "test/engine/*.test.ts"],
    ],
  },
  state: {
    mutate: ["src/core/state/**/*.ts"],
    tests: [
      ...["test/state/{store,record,lock,lock-by-swap,lock-wait}.test.ts", "test/state/*.test.ts"],
      ...["test/cli/{state,history,state-secrets,state-in-git}.test.ts", "test/failures/state.test.ts"],
      ...[
        "test/stores/{connection,migrate,apply,attack,package}.test.ts",
        "test/security/hostile-states.test.ts",
      ],
    ],
  },
  api: {
    mutate: ["src/core/api/**/*.ts"],
    tests: [
      ...["test/api/*.test.ts", "test/failures/{answers,deployments,echoes,proxies}.test.ts"],
      ...["test/failures/connection.test.ts", "test/sessions/read.test.ts", "test/tokens/mint.test.ts"],
    ],
  },
};
