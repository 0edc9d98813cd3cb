import { createElement } from 'react';

/** Text with `code` in it. */
export function inlineCode(text: string) {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? createElement('code', { key: part }, part) : part));
  return <>{parts}</>;
}
