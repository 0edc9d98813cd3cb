import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { IconSearch } from '../icons.tsx';

const pauseMs = 200;

/** Searches as people type, but not at every letter. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
}: {
  label: string;
  placeholder?: string;
  value: string;
  onSearch(text: string): void;
}) {
  const [text, setText] = useState(value);
  const searchSoon = useDebouncedCallback((wanted: string) => onSearch(wanted.trim()), pauseMs);
  const change = (wanted: string) => {
    setText(wanted);
    searchSoon(wanted);
  };
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder ?? label}
      value={text}
      maxLength={200}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden="true" />}
      rightSection={
        text === '' ? null : <CloseButton size="sm" aria-label="Clear the search" onClick={() => change('')} />
      }
    />
  );
}
