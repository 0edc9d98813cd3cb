import { Fragment } from 'react';
import type { Segment } from './client.ts';

/** A text with matching words marked. */
export function Segments({ of }: { of: readonly Segment[] }) {
  return of.map(({ text, isMatch }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other name than their place.
    isMatch ? <mark key={index}>{text}</mark> : <Fragment key={index}>{text}</Fragment>,
  );
}
