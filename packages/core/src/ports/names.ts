/** What a name resolves to. `unknown` decides nothing: the chain could not be reached, and a retry may help. */
export type NameAnswer =
  | { kind: 'found'; address: string }
  | { kind: 'none'; reason: string }
  | { kind: 'unknown'; reason: string };

/** Account names, such as those of ENS. */
export interface NameService {
  /** The namespace of the accounts that names resolve to. */
  namespace: string;
  /** Resolves a name. Never throws for a failure of the service; a reason contains no key and no node URL. */
  resolve(name: string, signal?: AbortSignal): Promise<NameAnswer>;
}
