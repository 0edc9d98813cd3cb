import useBrokenLinks from '@docusaurus/useBrokenLinks';
import Heading from '@theme/Heading';
import type { Arranged } from '../../reference/groups.ts';
import type { TagModel } from '../../reference/model.ts';
import { splitIntoSections } from '../../reference/sections.ts';
import { Frame, type Menu } from './frame.tsx';
import { Operation } from './operation.tsx';
import styles from './reference.module.css';

export default function TagPage({ tag, menu }: { tag: Arranged<TagModel>; menu: Menu }) {
  const links = useBrokenLinks();
  const sections = splitIntoSections(tag.operations);
  for (const { anchor } of tag.operations) links.collectAnchor(anchor);
  for (const { anchor } of sections) links.collectAnchor(anchor);
  const count = tag.operations.length === 1 ? 'One operation' : `${tag.operations.length} operations`;
  const description = `${tag.description} ${count} of the Latchkey API.`;
  return (
    <Frame title={`${tag.title} API`} description={description} menu={menu} current={tag.name} inside={sections}>
      <Heading as="h1">{tag.title}</Heading>
      <p>{tag.description}</p>
      {sections.length > 1 ? (
        <nav aria-label="Parts of this page">
          <ul className={styles.parts}>
            {sections.map(({ title, anchor, operations }) => (
              <li key={anchor}>
                <a href={`#${anchor}`}>{title}</a> <span className={styles.muted}>{operations.length}</span>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
      {sections.map(({ title, anchor, operations }) => (
        <section key={anchor} id={anchor === '' ? undefined : anchor} className={styles.partOfPage}>
          {title === '' ? null : <p className={styles.group}>{title}</p>}
          {operations.map((operation) => (
            <Operation key={operation.id} operation={operation} />
          ))}
        </section>
      ))}
    </Frame>
  );
}
