import { Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import styles from './builder.module.css';
import { isFields, toDraft } from './tree/draft.ts';
import type { RuleForm } from './use-rule-form.ts';

/** The rule as JSON. What is typed counts as soon as it can be read, and stays on the page in any case. */
export function JsonTab({ form }: { form: RuleForm }) {
  const [text, setText] = useState(() => JSON.stringify(form.rule ?? {}, undefined, 2));
  const [fault, setFault] = useState<string>();
  const type = (typed: string) => {
    setText(typed);
    try {
      const value: unknown = JSON.parse(typed);
      const draft = toDraft(value);
      setFault(undefined);
      if (isFields(value)) form.edit(() => draft, { typing: 'json' });
    } catch (error) {
      const why = error instanceof SyntaxError ? 'This is not JSON yet.' : error instanceof Error ? error.message : '';
      setFault(`${why} The last rule that could be read counts.`);
    }
  };
  return (
    <>
      <Text size="sm" c="dimmed">
        The same rule as the API takes it. Muted conditions are not in it.
      </Text>
      <Textarea
        aria-label="The rule as JSON"
        value={text}
        error={fault}
        autosize
        minRows={12}
        maxRows={40}
        spellCheck={false}
        classNames={{ input: styles.code ?? '' }}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
    </>
  );
}
