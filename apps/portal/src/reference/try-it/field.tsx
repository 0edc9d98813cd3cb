import type { Field as FieldRow } from '../../../reference/fields.ts';
import { inlineCode } from '../inline-code.ts';
import styles from './console.module.css';

interface Props {
  id: string;
  field: FieldRow;
  place?: string;
  value: string;
  isSecret?: boolean;
  problem: string | undefined;
  onChange: (value: string) => void;
}

/** One value with its type, and whether it is required. */
export function Field({ id, field, place, value, isSecret = false, problem, onChange }: Props) {
  const { name, type, required, text } = field;
  const common = {
    id,
    value,
    'aria-invalid': problem !== undefined,
    'aria-required': required,
    'aria-describedby': `${id}-note`,
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        <code>{name}</code>{' '}
        <span className={styles.kind}>
          {type}
          {place === undefined ? '' : ` in ${place}`}
          {required ? ', required' : ''}
        </span>
      </label>
      {type === 'boolean' ? (
        <select {...common} className={styles.input} onChange={(event) => onChange(event.target.value)}>
          <option value="">not sent</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : type.endsWith('[]') ? (
        <textarea {...common} className={styles.input} rows={2} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input
          {...common}
          className={styles.input}
          type={isSecret ? 'password' : 'text'}
          inputMode={type === 'number' || type === 'integer' ? 'decimal' : 'text'}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      <p className={styles.note} id={`${id}-note`} data-problem={problem !== undefined}>
        {problem ?? inlineCode(type.endsWith('[]') ? `${text} One per line.` : text)}
      </p>
    </div>
  );
}
