/** A Snapshot space: where an organization votes. */
export interface SnapshotSpace {
  id: string;
  name: string;
}

/** A proposal of a space, with the fields that are shown. Times are seconds since 1970. */
export interface SnapshotProposal {
  id: string;
  title: string;
  body: string;
  author: string;
  choices: readonly string[];
  startsAtSeconds: number;
  endsAtSeconds: number;
  link: string | undefined;
  /** Whether Snapshot's moderators hide it. */
  isFlagged: boolean;
  space: SnapshotSpace;
}

/** `unknown`: the hub could not be reached; the reason is a sentence without a URL. */
export type HubAnswer<Found> =
  | { kind: 'found'; found: Found }
  | { kind: 'missing' }
  | { kind: 'unknown'; reason: string };

/** Snapshot's hub, over GraphQL. Never throws. */
export interface SnapshotHub {
  readSpace(id: string, signal?: AbortSignal): Promise<HubAnswer<SnapshotSpace>>;
  readProposal(id: string, signal?: AbortSignal): Promise<HubAnswer<SnapshotProposal>>;
}
