import { useCallback, useRef } from 'react';

/** Counts requests. Each call returns a function that says whether it is still the newest, so that an outdated response can be dropped. */
export function useLatest(): () => () => boolean {
  const newest = useRef(0);
  return useCallback(() => {
    const mine = ++newest.current;
    return () => mine === newest.current;
  }, []);
}
