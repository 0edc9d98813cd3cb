import type { Tx } from '@latchkey/db';
import type { JobKind, Resource, Schedule } from '@latchkey/kernel';
import type { Context } from './context.ts';

/** What one folder contributes to the server. */
export interface Module<Resources extends readonly unknown[] = readonly Resource[]> {
  name: string;
  /** Its operations. Those of a resource that several modules share are shown in the order of the modules. */
  resources: Resources;
  jobs: readonly JobKind[];
  schedules: readonly Schedule[];
  /** Its columns of sealed secrets, for master key rotation. */
  sealed: readonly SealedColumn[];
  /** How it erases a person. */
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

/** Merges the parts of a resource that several modules contribute; it takes the position of the last part. */
export function mergeResources(parts: readonly Resource[]): Resource[] {
  const merged = new Map<string, Resource>();
  for (const part of parts) {
    const before = merged.get(part.name);
    merged.delete(part.name);
    merged.set(part.name, { ...part, operations: [...(before?.operations ?? []), ...part.operations] });
  }
  return [...merged.values()];
}

/** A column of sealed values. Each module exports its own, so that a rotation of the master key reaches all of them. */
/** What must hold in a ledger, for a drill that restored a backup. */
export interface LedgerCheck {
  /** What its rows are, in the plural. */
  rows: string;
  countRows: string;
  /** What breaks the rule, in the plural. */
  exceptions: string;
  countExceptions: string;
}

export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key. */
  idColumns: readonly [string, ...string[]];
  /** The context that a row's value was sealed for, from its primary key as text in the order of `idColumns`. */
  placeOf(...ids: string[]): string;
}

/** An account that is being erased. */
export interface Person {
  /** For example DIS#USER#100. */
  userId: string;
  /**
   * The person's pseudonym in records that must be kept: the same everywhere, and random, so that it reveals nothing.
   */
  pseudonym: string;
  /** The linked wallets, in the form of their namespaces, including a wallet that is itself an account. */
  wallets: readonly { namespace: string; address: string }[];
  /** Other accounts that also linked one of those wallets. */
  coHolders: readonly string[];
  /** The client applications that the person created. */
  clientIds: readonly string[];
}

/**
 * How one module erases a person. Each module exports its own, and `modules.ts` lists them all: a test searches the
 * schema for columns that may identify a person, and fails if no erasure covers one.
 */
export interface Erasure {
  /** The columns it covers, as `table.column`. */
  columns: readonly string[];
  /**
   * `at-once`: what the person provided. `once-settled`: what is needed until the roles that depend on it are removed,
   * such as memberships. Each stage is one transaction, so that a crash leaves nothing half done.
   */
  stage: 'at-once' | 'once-settled';
  /** Deletes the person's rows, or replaces their id with the pseudonym. Idempotent. */
  forget(ctx: Context, tx: Tx, person: Person): Promise<void>;
}
