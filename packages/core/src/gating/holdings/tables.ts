export {};

declare module '@latchkey/db/tables' {
  interface Tables {
    read_holdings: {
      chain: string;
      reference: string;
      account: string;
      variant: string;
      answer: unknown;
      block_number: number;
      block_hash: string | null;
      read_at: Date;
    };
    followed_chains: { chain: string; number: number; hash: string; followed_at: Date };
    followed_blocks: { chain: string; number: number; hash: string };
    followed_changes: { chain: string; number: number; reference: string; account: string };
    followed_contracts: { chain: string; reference: string; since_number: number };
  }
}
