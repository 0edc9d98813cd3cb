import type { GivenRule, RuleVisibility } from '../../communities/rule-records/index.ts';

/** Where rules come from. A sheet is a table with our own columns, for services that publish no format. */
export const importSources = ['original', 'guild', 'vulcan', 'matrica', 'sheet'] as const;
export type ImportSource = (typeof importSources)[number];

/** A role as the source of the rules identifies it. */
export interface RoleReference {
  id?: string | undefined;
  name?: string | undefined;
}

/** A rule that was found in an export: its equivalent here, or why there is none. */
export interface FoundRule {
  /** Identifies the rule at its source, across imports. */
  key: string;
  name: string;
  role: RoleReference;
  visibility?: RuleVisibility;
  /** Absent if it has no equivalent here. */
  rule?: GivenRule;
  /** Why it has no equivalent here. */
  problem?: string;
  /** What the admin should know before turning it on. */
  notes: string[];
}

/** Returns a string, or a number as a string; undefined if empty or neither. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Returns a name, shortened to the length that rules store. */
export function nameOf(value: unknown, fallback: string): string {
  return (textOf(value) ?? fallback).slice(0, 200);
}
