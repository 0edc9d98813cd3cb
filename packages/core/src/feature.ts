import type { JobKind, Resource, Schedule } from '@latchkey/kernel';
import type { SealedColumn } from './developers/signing-keys/index.ts';
import type { Erasure } from './machinery/erasures/index.ts';

/** What one folder brings to the whole. */
export interface Feature<Resources extends readonly unknown[] = readonly Resource[]> {
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

/** Says in one place what a feature brings. `features.ts` lists them all. */
export function feature<const Resources extends readonly unknown[] = readonly []>(
  name: string,
  parts: Partial<Omit<Feature, 'name' | 'resources' | 'jobs'>> & {
    resources?: Resources;
    jobs?: readonly unknown[];
  },
): Feature<Resources> {
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
