/** What a name resolves to. `unknown` decides nothing: the chain could not be reached, and a retry may help. */
export type NameAnswer =
  | { kind: 'found'; address: string }
  | { kind: 'none'; reason: string }
  | { kind: 'unknown'; reason: string };

/** Names of accounts, such as those of ENS. */
export interface NameService {
  /** The namespace of the accounts that names resolve to. */
  namespace: string;
  /** Looks a name up. Never throws for what the service does; a reason holds no key and no address of a node. */
  resolve(name: string, signal?: AbortSignal): Promise<NameAnswer>;
}
