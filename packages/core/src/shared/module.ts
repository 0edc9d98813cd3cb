import type { Tx } from '@latchkey/db';
import type { JobKind, Resource, Schedule } from '@latchkey/kernel';
import type { Context } from './context.ts';

/** What one folder brings to the whole. */
export interface Module<Resources extends readonly unknown[] = readonly Resource[]> {
  name: string;
  /** Its operations. Those of a resource that several features share are shown in the order of the features. */
  resources: Resources;
  jobs: readonly JobKind[];
  schedules: readonly Schedule[];
  /** Its columns of sealed secrets, for a change of the master key. */
  sealed: readonly SealedColumn[];
  /** How it forgets a person. */
  erasures: readonly Erasure[];
  /** The tables that only this folder reads and writes. */
  tables: readonly string[];
}

/** Declares what a module provides, in one place. `modules.ts` lists them all. */
export function defineModule<const Resources extends readonly unknown[] = readonly []>(
  name: string,
  parts: Partial<Omit<Module, 'name' | 'resources' | 'jobs'>> & {
    resources?: Resources;
    jobs?: readonly unknown[];
  },
): Module<Resources> {
  const {
    resources = [] as unknown as Resources,
    jobs = [],
    schedules = [],
    sealed = [],
    erasures = [],
    tables = [],
  } = parts;
  return { name, resources, jobs: jobs as readonly JobKind[], schedules, sealed, erasures, tables };
}

/** Joins the parts of a resource that several features bring: it stands where the last of them does. */
export function mergeResources(parts: readonly Resource[]): Resource[] {
  const merged = new Map<string, Resource>();
  for (const part of parts) {
    const before = merged.get(part.name);
    merged.delete(part.name);
    merged.set(part.name, { ...part, operations: [...(before?.operations ?? []), ...part.operations] });
  }
  return [...merged.values()];
}

/** A column of sealed values. Each feature exports its own, so that a change of the master key can reach all of them. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key. */
  idColumns: readonly [string, ...string[]];
  /** The place a row's value was sealed for, from its primary key as text in the order of `idColumns`. */
  placeOf(...ids: string[]): string;
}

/** An account that is to be forgotten. */
export interface Person {
  /** DIS#USER#100, for example. */
  userId: string;
  /** The person's pseudonym in what must be kept: the same everywhere, and random, so that it leads nowhere. */
  pseudonym: string;
  /** The wallets that were linked, in the spelling of their namespaces; a wallet that signed in by itself is one of them. */
  wallets: readonly { namespace: string; address: string }[];
  /** Other accounts that linked one of those wallets too. */
  coHolders: readonly string[];
  /** The client applications that the person made. */
  clientIds: readonly string[];
}

/**
 * How one feature forgets a person. Each feature exports its own, and `modules.ts` lists them all: a test looks at the
 * schema for columns that may name a person, and fails for one that no erasure covers.
 */
export interface Erasure {
  /** The columns it sees to, as `table.column`. */
  columns: readonly string[];
  /**
   * `at-once`: what the person gave to this server. `once-settled`: what is needed until the roles that hung on it are
   * taken, such as being a member. Both are one transaction each, so that a crash leaves nothing half done.
   */
  stage: 'at-once' | 'once-settled';
  /** Removes the rows of the person, or puts the pseudonym in their place. May run again. */
  forget(ctx: Context, tx: Tx, person: Person): Promise<void>;
}
