import { type ReactNode, useEffect } from 'react';
import { settleHead } from '../../client/settle-head.ts';

/** Stands around every page, and so hears last that one has come alive. */
export default function Root({ children }: { children: ReactNode }) {
  useEffect(settleHead, []);
  return children;
}
