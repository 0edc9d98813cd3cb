import { createElement, Fragment, type ReactNode } from 'react';

/** Text with `code` in it. */
export function inlineCode(text: string): ReactNode {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? createElement('code', null, part) : part));
  return createElement(Fragment, null, ...parts);
}
