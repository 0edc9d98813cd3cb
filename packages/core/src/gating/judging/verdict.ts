import type { Truth } from '../rules/index.ts';

/** What the rules of one role came to for one member, and why. */
export interface RoleVerdict {
  roleId: string;
  truth: Truth;
  /** The reason tree, as JSON. */
  reason: unknown;
  /** The blocks that were read, by chain. */
  blocks: Readonly<Record<string, string>>;
}
