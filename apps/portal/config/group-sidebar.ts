import type { PluginOptions } from '@docusaurus/plugin-content-docs';

type Generator = PluginOptions['sidebarItemsGenerator'];
type Items = Awaited<ReturnType<Generator>>;

const groupLabel = 'Third-party apps';

/** Puts pages about the apps of other makers under that name, behind those about what is built in. */
export const groupSidebar: Generator = async ({ defaultSidebarItemsGenerator, ...given }) => {
  const thirdParty = new Set(
    given.docs.filter(({ frontMatter }) => Object(frontMatter).third_party === true).map(({ id }) => id),
  );
  return group(await defaultSidebarItemsGenerator(given), thirdParty);
};

function group(items: Items, thirdParty: ReadonlySet<string>): Items {
  const isOfOthers = (item: Items[number]) => item.type === 'doc' && thirdParty.has(item.id);
  const grouped = items.map((item) =>
    item.type === 'category' ? { ...item, items: group(item.items, thirdParty) } : item,
  );
  const ofOthers = grouped.filter(isOfOthers);
  if (ofOthers.length === 0) return grouped;
  return [
    ...grouped.filter((item) => !isOfOthers(item)),
    { type: 'category', label: groupLabel, items: ofOthers, collapsed: true, collapsible: true },
  ];
}
