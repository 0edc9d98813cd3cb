import type { Context } from '../../context.ts';

/** How roles are checked, held back and written. */
export interface GatingSettings {
  /** So many endpoints of a chain must agree before a role is taken, where it has that many. */
  removalQuorum: number;
  /** A plan that takes a role from a larger share of its holders than this waits for an admin … */
  heldRemovalShare: number;
  /** … if it takes it from at least so many. */
  heldRemovalCount: number;
  /** Removals of so long ago still count towards both, so that many small steps are not freer than a large one. */
  brakeWindowSeconds: number;
  /** An answer is read anew after this time even if no change of it was announced. */
  rereadSeconds: number;
  /** Stored answers count only while the end of their chain was reached at most so long ago. */
  followLagSeconds: number;
  /** A look at a member's roles that is older than this is repeated before they are changed. */
  memberFreshSeconds: number;
  /** The pause between two looks at the end of a chain. */
  followPauseMs: number;
  /** How many blocks below its end a chain is followed, unless told for that chain. */
  followDepth: number;
  followDepths: Readonly<Record<string, number>>;
}

const daySeconds = 24 * 60 * 60;

export const defaultGatingSettings: GatingSettings = {
  removalQuorum: 2,
  heldRemovalShare: 0.05,
  heldRemovalCount: 10,
  brakeWindowSeconds: daySeconds,
  rereadSeconds: daySeconds,
  followLagSeconds: 60,
  memberFreshSeconds: 30,
  followPauseMs: 500,
  followDepth: 2,
  followDepths: {},
};

export function gatingSettings({ settings }: Pick<Context, 'settings'>): GatingSettings {
  return { ...defaultGatingSettings, ...settings.gating };
}
