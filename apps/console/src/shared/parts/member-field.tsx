import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useOperation } from '../api/index.ts';
import { t } from './messages/index.ts';

const shownAtOnce = 20;
const pauseMs = 250;

/** Finds a member by part of the name. */
export function MemberField({
  communityId,
  label,
  hidesLabel = false,
  className,
  value,
  onChange,
}: {
  communityId: string;
  label: string;
  /** For a field whose context says what it is for. */
  hidesLabel?: boolean;
  className?: string | undefined;
  value: string | undefined;
  onChange(userId: string | undefined): void;
}) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), pauseMs);
  const members = useOperation(
    'GET /latchkey/communities/{communityId}/members',
    { communityId, limit: shownAtOnce, ...(search !== '' && { search }) },
    { keepsPrevious: true },
  );
  const data = (members.data?.items ?? []).map(({ userId, userName }) => ({
    value: userId,
    label: userName ?? userId,
  }));
  return (
    <Select
      {...(hidesLabel ? { 'aria-label': label } : { label })}
      {...(className !== undefined && { className })}
      placeholder={t('memberField.search')}
      data={data}
      value={value ?? null}
      searchable
      clearable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      nothingFoundMessage={t(members.isFetching ? 'memberField.searching' : 'memberField.none')}
      error={members.isError && t('memberField.failed')}
      onChange={(userId) => onChange(userId ?? undefined)}
    />
  );
}

/** Returns the roles of a community as select options. Roles that the bot cannot grant are shown but disabled. */
export function roleOptions(roles: readonly { id: string; name: string; canBeGiven: boolean }[]) {
  return roles.map(({ id, name, canBeGiven }) => ({
    value: id,
    label: canBeGiven ? name : t('roleField.cannotBeGiven', { role: name }),
    disabled: !canBeGiven,
  }));
}
