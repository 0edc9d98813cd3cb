/** What a process tells of its calls to a platform. */
export interface CallReport {
  /** How many calls it could have under way or just behind it at a time. */
  wanted: number;
  /** How many places it cannot give back yet. */
  busy: number;
  /** Calls that were refused since the last report. */
  refused: number;
  /** For how long the platform takes no call at all. */
  blockedMs: number;
  /** Routes that the platform closed since the last report. */
  blocks: readonly { route: string; ms: number }[];
}

/** What it may do until its next report. */
export interface CallGrant {
  /** A place is one call that is under way or was answered less than a second ago. */
  places: number;
  /** The places are its own for this long from the report on. */
  goodForMs: number;
  /** Nobody calls for so long. */
  blockedMs: number;
  /** Routes that are closed, whoever found out. */
  blocks: readonly { route: string; ms: number }[];
}

/** Shares the calls that a bot may make among all processes, by what each can use. */
export interface CallBudget {
  report(report: CallReport): Promise<CallGrant>;
}
