import { findTagProblem, longestTag, tagOfRole, tagRoleId } from '@latchkey/kernel/member-tags';
import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { t } from './messages/index.ts';

/** The text of the tag that a rule gives, on platforms where members have tags. */
export function TagField({ roleId, onChange }: { roleId: string; onChange(roleId: string): void }) {
  const saved = tagOfRole(roleId);
  const [text, setText] = useState(saved ?? '');
  // Another role was chosen, or the rule was loaded anew.
  useEffect(
    () => setText((shown) => (saved === undefined || tagRoleId(shown) !== roleId ? (saved ?? '') : shown)),
    [roleId, saved],
  );
  const problem = text === '' ? undefined : findTagProblem(text);
  return (
    <TextInput
      label={t('settings.tag')}
      placeholder={t('settings.tagPlaceholder')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={t('settings.tagNote', { count: text.length, limit: longestTag })}
      error={problem}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        if (findTagProblem(value) === undefined) onChange(tagRoleId(value));
      }}
    />
  );
}
