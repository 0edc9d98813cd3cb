import { Button, Group, Text, Textarea } from '@mantine/core';
import { type ChangeEvent, useRef, useState } from 'react';
import styles from './rule-import.module.css';

/** As much as the server takes. */
const longest = 900_000;

/** The export: pasted, or read from a file into the same field. */
export function ContentField({
  value,
  sample,
  help,
  onChange,
}: {
  value: string;
  sample: string;
  help: string;
  onChange(text: string): void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string>();
  const [name, setName] = useState<string>();
  const type = (text: string) => {
    setFault(text.length > longest ? 'This is longer than 900,000 characters. Import it in parts.' : undefined);
    onChange(text);
  };
  const read = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    // So that the same file can be chosen again after it was changed.
    currentTarget.value = '';
    if (file === undefined) return;
    if (file.size > longest * 4) return setFault(`${file.name} is too large. Import it in parts.`);
    try {
      type(await file.text());
      setName(file.name);
    } catch {
      setFault(`${file.name} cannot be read.`);
    }
  };
  return (
    <div className={styles.content}>
      <Textarea
        label="Export"
        description={help}
        placeholder={sample}
        value={value}
        error={fault}
        autosize
        minRows={6}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: styles.code ?? '' }}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
      <Group gap="xs">
        <Button variant="default" size="compact-sm" onClick={() => picker.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={picker}
          type="file"
          accept=".json,.csv,.txt,application/json,text/csv,text/plain"
          aria-label="File to import"
          hidden
          onChange={(event) => void read(event)}
        />
        {name !== undefined && (
          <Text size="sm" c="dimmed" role="status">
            Read from {name}
          </Text>
        )}
      </Group>
    </div>
  );
}
