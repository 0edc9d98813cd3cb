import { useEffect, useState } from 'react';
import type { Field } from '../../reference/fields.ts';
import folds from './fold.module.css';
import { countInside, isFolded, parentsOf, pathsOf } from './fold.ts';
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

/** Fields as a table whose rows can be linked to. Those of nested objects are folded. */
export function FieldTable({ anchor, title, note, fields, always = false }: Props) {
  const paths = pathsOf(fields);
  const inside = countInside(fields);
  const [unfolded, setUnfolded] = useUnfolded(anchor, paths);
  const forms = [...new Set(fields.flatMap((field) => Object.keys(field.forms ?? {})))];
  const [form, setForm] = useState(forms[0] ?? '');
  if (fields.length === 0 && !always) return null;
  const foldable = paths.filter((_, index) => (inside[index] ?? 0) > 0);
  const isAll = foldable.every((path) => unfolded.has(path));
  const toggle = (path: string) => {
    const next = new Set(unfolded);
    if (!next.delete(path)) next.add(path);
    setUnfolded(next);
  };
  return (
    <>
      <h3 className={styles.part}>
        {title} {note === undefined ? null : <span className={styles.muted}>{note}</span>}{' '}
        {foldable.length < 2 ? null : (
          <button
            type="button"
            className={folds.unfold}
            onClick={() => setUnfolded(isAll ? new Set() : new Set(foldable))}
            aria-label={`${isAll ? 'Hide nested fields' : 'Show all fields'} of ${title}`}
          >
            {isAll ? 'Hide nested fields' : 'Show all fields'}
          </button>
        )}
      </h3>
      {forms.length === 0 ? null : <Forms of={title} names={forms} chosen={form} onChoose={setForm} />}
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
                const path = paths[index] ?? field.name;
                const id = `${anchor}/${path}`;
                const { required, text } = field.forms?.[form] ?? field;
                return (
                  <tr
                    key={id}
                    className={folds.row}
                    id={id}
                    data-folded={
                      isFolded(path, unfolded) || (field.forms !== undefined && field.forms[form] === undefined)
                    }
                  >
                    <th scope="row" data-depth={field.depth}>
                      <a className={styles.field} href={`#${id}`}>
                        {field.name}
                      </a>{' '}
                      <span className={styles.type}>
                        {field.type}
                        {field.in === undefined ? '' : ` in ${field.in}`}
                        {required ? <strong className={styles.required}> required</strong> : null}
                      </span>{' '}
                      <Unfold
                        count={inside[index] ?? 0}
                        name={field.name}
                        isOpen={unfolded.has(path)}
                        onPress={() => toggle(path)}
                      />
                    </th>
                    <td>{inlineCode(text)}</td>
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

interface FormsProps {
  of: string;
  names: readonly string[];
  chosen: string;
  onChoose(name: string): void;
}

/** The forms that a body can have, of which one is shown. */
function Forms({ of, names, chosen, onChoose }: FormsProps) {
  return (
    <fieldset className={folds.forms}>
      <legend className={styles.muted}>{of} in one of these forms</legend>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          className={folds.unfold}
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

interface UnfoldProps {
  count: number;
  name: string;
  isOpen: boolean;
  onPress(): void;
}

function Unfold({ count, name, isOpen, onPress }: UnfoldProps) {
  if (count === 0) return null;
  const words = count === 1 ? 'one field' : `${count} fields`;
  return (
    <button
      type="button"
      className={folds.unfold}
      aria-expanded={isOpen}
      aria-label={`${isOpen ? 'Hide' : 'Show'} ${words} of ${name}`}
      onClick={onPress}
    >
      {isOpen ? 'Hide' : 'Show'} {words}
    </button>
  );
}

/** What is unfolded. An address of a field unfolds everything above it. */
function useUnfolded(anchor: string, paths: readonly string[]) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const known = paths.join(' ');
  useEffect(() => {
    if (!known.includes('.')) return undefined;
    const openAddressed = () => {
      const hash = decodeURIComponent(window.location.hash.slice(1));
      const path = hash.startsWith(`${anchor}/`) ? hash.slice(anchor.length + 1) : '';
      if (path === '' || !known.split(' ').includes(path)) return;
      setUnfolded((before) => new Set([...before, ...parentsOf(path)]));
    };
    openAddressed();
    window.addEventListener('hashchange', openAddressed);
    return () => window.removeEventListener('hashchange', openAddressed);
  }, [anchor, known]);
  return [unfolded, setUnfolded] as const;
}
