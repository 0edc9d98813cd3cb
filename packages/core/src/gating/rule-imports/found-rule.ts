import type { GivenRule, RuleVisibility } from '../../communities/rule-records/index.ts';

/** Where rules come from. A sheet is a table of our own columns, for services that publish no format. */
export const importSources = ['original', 'guild', 'vulcan', 'matrica', 'sheet'] as const;
export type ImportSource = (typeof importSources)[number];

/** How a role is called where the rules come from. */
export interface RoleReference {
  id?: string | undefined;
  name?: string | undefined;
}

/** A rule that was found in an export: what it means here, or why it means nothing. */
export interface FoundRule {
  /** Names the rule where it comes from, as long as it is the same rule. */
  key: string;
  name: string;
  role: RoleReference;
  visibility?: RuleVisibility;
  /** Absent when it has no meaning here. */
  rule?: GivenRule;
  /** Why it has no meaning here. */
  problem?: string;
  /** What the admin should know before switching it on. */
  notes: string[];
}

/** A text, or a number as one; undefined for what is empty or neither. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** What people call something, as rules keep it. */
export function nameOf(value: unknown, fallback: string): string {
  return (textOf(value) ?? fallback).slice(0, 200);
}
