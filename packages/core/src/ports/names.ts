/** What a name stands for. `unknown` decides nothing: the chain could not be asked, and trying again may help. */
export type NameAnswer =
  | { kind: 'found'; address: string }
  | { kind: 'none'; reason: string }
  | { kind: 'unknown'; reason: string };

/** Names of accounts, such as those of ENS. */
export interface NameService {
  /** The namespace of the accounts that names stand for. */
  namespace: string;
  /** Looks a name up. Never throws for what the service does; a reason holds no key and no address of a node. */
  resolve(name: string, signal?: AbortSignal): Promise<NameAnswer>;
}
