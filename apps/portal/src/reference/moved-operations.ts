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
      const { search, hash: whole } = window.location;
      replace(
        `${base.replace(/\/$/, '')}${operationPath(resource, found.id)}${search}${hash === found.anchor ? '' : whole}`,
      );
      return;
    }
  }, [tags, replace, base]);
}
