import Link from '@docusaurus/Link';
import useBrokenLinks from '@docusaurus/useBrokenLinks';
import Heading from '@theme/Heading';
import type { ListedTag } from '../../plugins/api-reference.ts';
import { tagPath } from '../../reference/addresses.ts';
import { ownTitle } from '../../reference/groups.ts';
import { Frame, type Menu } from './frame.tsx';
import { useMovedOperations } from './moved-operations.ts';
import { OperationList } from './operation-list.tsx';
import styles from './reference.module.css';

/** The operations that the published API does not have, by area. */
export default function AreasPage({ areas, menu }: { areas: ListedTag[]; menu: Menu }) {
  const links = useBrokenLinks();
  for (const { anchor } of areas.flatMap(({ operations }) => operations)) links.collectAnchor(anchor);
  useMovedOperations(areas);
  const count = areas.reduce((sum, { operations }) => sum + operations.length, 0);
  return (
    <Frame
      title={`${ownTitle} API`}
      description={`The ${count} operations that Latchkey adds to the published API, by area.`}
      menu={menu}
    >
      <Heading as="h1">{ownTitle}</Heading>
      <p>{count} operations that the published API does not have, by area.</p>
      {areas.map((area) => (
        <section className={styles.resource} key={area.name}>
          <Heading as="h2" id={area.name}>
            <Link to={tagPath(area.name)}>{area.title}</Link>
          </Heading>
          <OperationList tag={area} hasIds />
        </section>
      ))}
    </Frame>
  );
}
