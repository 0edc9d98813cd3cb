import type { Field } from '../../reference/fields.ts';
import { inlineCode } from './inline-code.ts';
import styles from './reference.module.css';

interface Props {
  anchor: string;
  title: string;
  note?: string;
  fields: readonly (Field & { in?: string })[];
  /** Show the title even when there is no field. */
  always?: boolean;
}

/** Fields as a table whose rows can be linked to. */
export function FieldTable({ anchor, title, note, fields, always = false }: Props) {
  if (fields.length === 0 && !always) return null;
  const ids = pathsOf(fields);
  return (
    <>
      <h3 className={styles.part}>
        {title} {note === undefined ? null : <span className={styles.muted}>{note}</span>}
      </h3>
      {fields.length === 0 ? null : (
        <section
          className={styles.tableScroll}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          aria-label={`${title} of this operation: ${anchor}`}
        >
          <table className={styles.table}>
            <tbody>
              {fields.map((field, index) => {
                const id = `${anchor}/${ids[index]}`;
                return (
                  <tr key={id} id={id}>
                    <th scope="row" data-depth={field.depth}>
                      <a className={styles.field} href={`#${id}`}>
                        {field.name}
                      </a>{' '}
                      <span className={styles.type}>
                        {field.type}
                        {field.in === undefined ? '' : ` in ${field.in}`}
                        {field.required ? <strong className={styles.required}> required</strong> : null}
                      </span>
                    </th>
                    <td>{inlineCode(field.text)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

/** The place of each field among its parents: `rules.minToken`. */
function pathsOf(fields: readonly Field[]): string[] {
  const above: string[] = [];
  return fields.map(({ name, depth }) => {
    above.length = depth;
    above.push(name);
    return above.join('.');
  });
}
