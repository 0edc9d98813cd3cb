import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { askAsConsole } from '../api/client.ts';
import { askAgain, isFirst } from '../api/live.ts';
import { IconPlugConnectedX, IconRefresh } from '../icons.ts';
import { t } from '../messages/index.ts';
import { toast } from '../ui/toasts.tsx';
import styles from './banner.module.css';
import { type ConnectionState, connection, isLost, useConnectionState } from './connection.ts';

/** One line above every screen that says what is wrong with the connection, and nothing otherwise. */
export function ConnectionBanner() {
  const state = useConnectionState();
  useWatchNetwork();
  useRecovery(state);
  return (
    <div role="status" className={styles.place}>
      {state !== 'connected' && (
        <p className={styles.banner} data-state={state}>
          {state === 'outdated' ? <IconRefresh size={18} /> : <IconPlugConnectedX size={18} />}
          <span>
            <strong>{t(`connection.${state}`)}</strong> {t(`connection.${state}Note`)}
          </span>
          {state === 'outdated' && (
            <Button size="compact-sm" variant="default" onClick={() => location.reload()}>
              {t('common.reload')}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

function useWatchNetwork(): void {
  useEffect(() => {
    const follow = () => connection.offline(navigator.onLine === false);
    follow();
    window.addEventListener('online', follow);
    window.addEventListener('offline', follow);
    return () => {
      window.removeEventListener('online', follow);
      window.removeEventListener('offline', follow);
    };
  }, []);
}

const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

/** Polls an unavailable server until it responds, then refetches what the page shows. */
function useRecovery(state: ConnectionState): void {
  const queries = useQueryClient();
  const wasLost = useRef(false);
  const wasSilent = useRef(false);
  useEffect(() => {
    if (state === 'silent') wasSilent.current = true;
  }, [state]);
  // Kept across short recoveries, so that a flapping server is not polled every second.
  const pauseMs = useRef(firstPauseMs);
  const isWithoutServer = isLost(state);
  useEffect(() => {
    if (!isWithoutServer) {
      if (wasLost.current) {
        wasLost.current = false;
        // A request that hung may never end, and the page would wait for it. One that cannot connect fails by itself.
        const hung = wasSilent.current ? queries.cancelQueries({ predicate: isFirst }) : Promise.resolve();
        wasSilent.current = false;
        void hung.then(() => askAgain(queries, () => true));
        toast(t('connection.again'));
      }
      const settled = setTimeout(() => {
        pauseMs.current = firstPauseMs;
      }, longestPauseMs);
      return () => clearTimeout(settled);
    }
    wasLost.current = true;
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const ask = () => {
      timer = setTimeout(async () => {
        pauseMs.current = Math.min(longestPauseMs, pauseMs.current * 2);
        const attempt = new AbortController();
        const giveUp = setTimeout(() => attempt.abort(), longestPauseMs);
        await askAsConsole('/latchkey/session', { signal: attempt.signal }).catch(() => undefined);
        clearTimeout(giveUp);
        if (!isOver) ask();
      }, pauseMs.current);
    };
    ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isWithoutServer, queries]);
}
