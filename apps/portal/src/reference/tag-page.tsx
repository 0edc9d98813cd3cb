import useBrokenLinks from '@docusaurus/useBrokenLinks';
import Heading from '@theme/Heading';
import type { Arranged } from '../../reference/groups.ts';
import type { TagModel } from '../../reference/model.ts';
import { Frame, type Menu } from './frame.tsx';
import { Operation } from './operation.tsx';

export default function TagPage({ tag, menu }: { tag: Arranged<TagModel>; menu: Menu }) {
  const links = useBrokenLinks();
  for (const { anchor } of tag.operations) links.collectAnchor(anchor);
  const count = tag.operations.length === 1 ? 'One operation' : `${tag.operations.length} operations`;
  const description = `${tag.description} ${count} of the Latchkey API.`;
  return (
    <Frame title={`${tag.title} API`} description={description} menu={menu} current={tag.name} inside={tag.operations}>
      <Heading as="h1">{tag.title}</Heading>
      <p>{tag.description}</p>
      {tag.operations.map((operation) => (
        <Operation key={operation.id} operation={operation} />
      ))}
    </Frame>
  );
}
