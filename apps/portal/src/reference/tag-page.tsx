import useBrokenLinks from '@docusaurus/useBrokenLinks';
import Heading from '@theme/Heading';
import type { ListedTag } from '../../plugins/api-reference.ts';
import { Frame, type Menu } from './frame.tsx';
import { useMovedOperations } from './moved-operations.ts';
import { OperationList } from './operation-list.tsx';

/** The operations of a resource, or of an area of a large one. */
export default function TagPage({ tag, menu }: { tag: ListedTag; menu: Menu }) {
  const links = useBrokenLinks();
  for (const { anchor } of tag.operations) links.collectAnchor(anchor);
  useMovedOperations([tag]);
  const count = tag.operations.length === 1 ? 'One operation' : `${tag.operations.length} operations`;
  const description = `${tag.description} ${count} of the Latchkey API.`;
  return (
    <Frame title={`${tag.title} API`} description={description} menu={menu} current={tag.name} tag={tag}>
      <Heading as="h1">{tag.title}</Heading>
      <p>{tag.description}</p>
      <OperationList tag={tag} hasIds />
    </Frame>
  );
}
