export {};

declare module '@latchkey/db/tables' {
  interface Tables {
    rule_assets: { community_id: string; chain: string; standard: string; reference: string };
    rule_indexes: { community_id: string; rules_digest: string };
    rule_set_changes: { id: number; community_id: string; at: Date };
  }
}
