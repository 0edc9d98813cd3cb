import { useHistory } from '@docusaurus/router';
import useBaseUrl from '@docusaurus/useBaseUrl';
import { useEffect } from 'react';
import type { ListedTag } from '../../plugins/api-reference.ts';
import { operationPath } from '../../reference/addresses.ts';

/** Leads from the addresses that operations had when a resource was one page, as links of others have them, to their own pages. */
export function useMovedOperations(tags: readonly ListedTag[]): void {
  const { replace } = useHistory();
  const base = useBaseUrl('/');
  useEffect(() => {
    const hash = decodeURIComponent(window.location.hash.slice(1));
    for (const { resource, operations } of tags) {
      const found = operations.find(({ anchor }) => hash === anchor || hash.startsWith(`${anchor}/`));
      if (found === undefined) continue;
      const { pathname, search, hash: whole } = window.location;
      const target = `${base.replace(/\/$/, '')}${operationPath(resource, found.id)}`;
      // This page stays until the other one has loaded, and may be rendered again meanwhile.
      if (pathname !== target) replace(`${target}${search}${hash === found.anchor ? '' : whole}`);
      return;
    }
  }, [tags, replace, base]);
}
