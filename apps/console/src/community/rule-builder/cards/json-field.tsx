import { Textarea } from '@mantine/core';
import { useEffect, useState } from 'react';
import styles from './cards.module.css';

/** A value as JSON. What is typed stays while it cannot be read, and counts once it can. */
export function JsonField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint?: string | undefined;
  value: unknown;
  onChange(value: unknown): void;
}) {
  const written = value === undefined ? '' : JSON.stringify(value, undefined, 2);
  const [text, setText] = useState(written);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    // An undo elsewhere changes the value; typing here does not change what is typed.
    setText((typed) => (isSame(typed, written) ? typed : written));
    setFault(undefined);
  }, [written]);
  const type = (typed: string) => {
    setText(typed);
    try {
      const next: unknown = typed.trim() === '' ? undefined : JSON.parse(typed);
      setFault(undefined);
      onChange(next);
    } catch {
      setFault('This is not JSON yet, so the last value counts.');
    }
  };
  return (
    <Textarea
      label={label}
      description={hint}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={text}
      error={fault}
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
      classNames={{ input: styles.code ?? '' }}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}

function isSame(typed: string, written: string): boolean {
  if (typed === written) return true;
  try {
    return JSON.stringify(JSON.parse(typed)) === JSON.stringify(JSON.parse(written));
  } catch {
    return false;
  }
}
