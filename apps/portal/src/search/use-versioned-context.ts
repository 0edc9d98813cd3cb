import {
  type GlobalVersion,
  getDocsVersionSearchTag,
  useAllDocsData,
  useDocsPreferredVersionByPluginId,
} from '@docusaurus/plugin-content-docs/client';
import type { SearchContext } from '@latchkey/server/docs-search';
import { useCallback, useMemo, useState } from 'react';
import { useSearchContext } from './use-context.ts';

export interface VersionsOfInstance {
  instance: string;
  versions: readonly GlobalVersion[];
  chosen: string;
}

/** The context of the results page: for docs with more than one version, the reader chooses which to search. */
export function useVersionedContext(): {
  context: SearchContext;
  choices: VersionsOfInstance[];
  choose(instance: string, version: string): void;
} {
  const base = useSearchContext();
  const docs = useAllDocsData();
  const preferred = useDocsPreferredVersionByPluginId();
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const choose = useCallback(
    (instance: string, version: string) => setChosen((before) => ({ ...before, [instance]: version })),
    [],
  );
  const instances = Object.entries(docs).map(([instance, { versions }]) => {
    const latest = versions.find(({ isLast }) => isLast)?.name ?? 'current';
    return { instance, versions, chosen: chosen[instance] ?? preferred[instance]?.name ?? latest };
  });
  const tags = instances.map((one) => getDocsVersionSearchTag(one.instance, one.chosen)).join(' ');
  // The same context as long as it says the same: another one would be another search.
  const context = useMemo(() => ({ ...base, tags: tags.split(' ') }), [base, tags]);
  return { context, choices: instances.filter(({ versions }) => versions.length > 1), choose };
}
