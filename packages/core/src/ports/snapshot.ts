/** A space of Snapshot: where an organisation votes. */
export interface SnapshotSpace {
  id: string;
  name: string;
}

/** A proposal of a space, as far as it is shown. Times are seconds since 1970. */
export interface SnapshotProposal {
  id: string;
  title: string;
  body: string;
  author: string;
  choices: readonly string[];
  startsAtSeconds: number;
  endsAtSeconds: number;
  link: string | undefined;
  /** Snapshot's moderators hide it. */
  isFlagged: boolean;
  space: SnapshotSpace;
}

/** `unknown`: the hub could not be asked; the reason is a sentence without an address. */
export type HubAnswer<Found> =
  | { kind: 'found'; found: Found }
  | { kind: 'missing' }
  | { kind: 'unknown'; reason: string };

/** Snapshot's hub, over its GraphQL. Never throws. */
export interface SnapshotHub {
  readSpace(id: string, signal?: AbortSignal): Promise<HubAnswer<SnapshotSpace>>;
  readProposal(id: string, signal?: AbortSignal): Promise<HubAnswer<SnapshotProposal>>;
}
