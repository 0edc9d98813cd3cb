import { useCallback, useRef } from 'react';

/** Counts what is asked. Each count answers whether it is still the newest, so that an overtaken answer can be dropped. */
export function useLatest(): () => () => boolean {
  const newest = useRef(0);
  return useCallback(() => {
    const mine = ++newest.current;
    return () => mine === newest.current;
  }, []);
}
