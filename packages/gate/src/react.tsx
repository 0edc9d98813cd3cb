'use client';

import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { HolderState } from './guard.ts';

export type { HolderState } from './guard.ts';

export interface Holder {
  /** `loading` until the first response; `unknown` if it could not be determined, which is not a denial. */
  status: HolderState['status'] | 'loading';
  roles: readonly string[];
  /** Checks again, for example after a purchase. */
  refresh(): void;
}

const Context = createContext<Holder | undefined>(undefined);

export interface HolderProviderProps {
  /** A URL of your own server that returns the visitor's state: `expressHolder`, `nextHolder`. */
  url: string;
  /** The state that the server determined while rendering the page, so that nothing has to be loaded. */
  initial?: HolderState;
  children?: ReactNode;
}

/** Reads the state from your server once for all components below it. */
export function HolderProvider({ url, initial, children }: HolderProviderProps) {
  const [state, setState] = useState<Omit<Holder, 'refresh'>>(initial ?? { status: 'loading', roles: [] });
  const asking = useRef<AbortController>(undefined);
  const refresh = useCallback(() => {
    asking.current?.abort();
    const end = new AbortController();
    asking.current = end;
    readHolder(url, end.signal).then(
      (found) => end.signal.aborted || setState(found),
      () => end.signal.aborted || setState({ status: 'unknown', roles: [] }),
    );
  }, [url]);
  const isKnown = initial !== undefined;
  useEffect(() => {
    if (!isKnown) refresh();
    return () => asking.current?.abort();
  }, [isKnown, refresh]);
  const holder = useMemo(() => ({ ...state, refresh }), [state, refresh]);
  return <Context.Provider value={holder}>{children}</Context.Provider>;
}

async function readHolder(url: string, signal: AbortSignal): Promise<HolderState> {
  const response = await fetch(url, { signal, headers: { accept: 'application/json' }, cache: 'no-store' });
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`);
  return (await response.json()) as HolderState;
}

/** Returns the visitor's state at the gate. */
export function useHolder(): Holder {
  const holder = useContext(Context);
  if (holder === undefined) throw new Error('useHolder needs a HolderProvider above it.');
  return holder;
}

export interface GateProps {
  /** Requires this role. Without it, one of the gate's roles is enough. */
  role?: string;
  children: ReactNode;
  /** Shown to signed-in visitors who do not qualify. */
  denied?: ReactNode;
  /** Shown to visitors who are not signed in. */
  signedOut?: ReactNode;
  /** Shown while checking, and when the check failed. */
  loading?: ReactNode;
  unknown?: ReactNode;
}

/**
 * Shows its children to visitors who qualify. It controls what is shown, not who may read it: keep secrets behind the gate on your server.
 */
export function Gate({ role, children, denied = null, signedOut = null, loading = null, unknown = null }: GateProps) {
  const { status, roles } = useHolder();
  if (status === 'loading') return <>{loading}</>;
  if (status === 'signed-out') return <>{signedOut}</>;
  const qualifies = role === undefined ? status === 'granted' : roles.includes(role);
  if (qualifies) return <>{children}</>;
  return <>{status === 'unknown' ? unknown : denied}</>;
}

export interface LoginButtonProps {
  /** Where your server starts the sign-in. */
  href: string;
  children?: ReactNode;
  className?: string;
}

/** A sign-in link, shown to visitors who are not signed in. */
export function LoginButton({ href, children = 'Sign in with your wallet', className }: LoginButtonProps) {
  const { status } = useHolder();
  if (status !== 'signed-out') return null;
  return (
    <a href={href} {...(className !== undefined && { className })}>
      {children}
    </a>
  );
}
