import {
  getDocsVersionSearchTag,
  useActivePluginAndVersion,
  useDocsContextualSearchTags,
} from '@docusaurus/plugin-content-docs/client';
import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import type { SearchContext } from '@latchkey/server/docs-search';
import { useMemo } from 'react';

/** Where the reader is: which docs, and which version of each. */
export function useSearchContext(): SearchContext {
  const { i18n } = useDocusaurusContext();
  const tags = useDocsContextualSearchTags().join(' ');
  const active = useActivePluginAndVersion();
  const here =
    active?.activeVersion === undefined
      ? undefined
      : getDocsVersionSearchTag(active.activePlugin.pluginId, active.activeVersion.name);
  const language = i18n.currentLocale;
  return useMemo(
    () => ({ language, tags: tags.split(' '), ...(here === undefined ? {} : { here }) }),
    [language, tags, here],
  );
}
