import { ApiError } from '@latchkey/client';
import type { ConsolePage } from '@latchkey/kernel';
import {
  Alert,
  Button,
  createTheme,
  defaultVariantColorsResolver,
  MantineProvider,
  PasswordInput,
} from '@mantine/core';
import {
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  parseSearchWith,
  RouterProvider,
  stringifySearchWith,
} from '@tanstack/react-router';
import { type ReactNode, useCallback, useContext, useEffect, useEffectEvent, useRef, useState } from 'react';
import { LoginMethods, signedInPath } from '../login/login-page.tsx';
import mark from '../mark.svg';
import { askAsConsole, readRefusal } from '../shared/api/client.ts';
import { ask, PresenceContext, pauseBeforeRetry, SignedOut } from '../shared/api/index.ts';
import { ConnectionBanner } from '../shared/connection/banner.tsx';
import { connection } from '../shared/connection/connection.ts';
import { t } from '../shared/messages/index.ts';
import { type ConsoleSession, SessionContext } from '../shared/session.ts';
import { Choices, Dialog, EmptyState, Failure, Form, Loading, Page } from '../shared/ui/index.ts';
import { Toasts } from '../shared/ui/toasts.tsx';
import { lazyScreen, ScreenFailure } from './lazy-screen.tsx';
import parts from './mantine-parts.module.css';
import { PageContext, sessionKey } from './page-context.ts';
import { screens } from './screens.ts';
import { Shell } from './shell/shell.tsx';
import styles from './sign-in.module.css';

const freshMs = 30_000;

/** The whole console: the session, the cached responses, and the screen for the URL. */
export function ConsoleApp({ data }: { data: ConsolePage }) {
  const [queries] = useState(createQueries);
  useState(() => connection.startWith(data.build));
  const [router] = useState(createConsoleRouter);
  return (
    <MantineProvider
      theme={mantineTheme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <QueryClientProvider client={queries}>
        <PageContext value={data}>
          <Toasts />
          <SessionGate>
            <PresenceProvider>
              <RouterProvider router={router} />
            </PresenceProvider>
          </SessionGate>
        </PageContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function createQueries(): QueryClient {
  // Any call may find that the session has ended. The page then checks who is signed in, and keeps what was typed.
  const onError = (error: unknown) => {
    if (error instanceof SignedOut) void queries.invalidateQueries({ queryKey: sessionKey });
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        // A server that is briefly unavailable is retried; refusals are final.
        retry: (failures, error) => failures < 1 && pauseBeforeRetry(error) !== undefined,
        retryDelay: (_failures, error) => pauseBeforeRetry(error) ?? 0,
        refetchOnWindowFocus: true,
        // Offline requests fail with a message, instead of waiting silently.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return queries;
}

/** Opens a sign-in dialog over the page when the server requires a fresh sign-in, and then lets the action continue. */
function PresenceProvider({ children }: { children: ReactNode }) {
  const [asking, setAsking] = useState<(did: boolean) => void>();
  const confirm = useCallback(() => new Promise<boolean>((resolve) => setAsking(() => resolve)), []);
  const end = (did: boolean) => {
    asking?.(did);
    setAsking(undefined);
  };
  return (
    <PresenceContext value={confirm}>
      {children}
      <Dialog isOpen={asking !== undefined} title={t('session.isItYou')} onClose={() => end(false)}>
        <p>{t('session.isItYouWhy')}</p>
        <SignIn isOverPage onDone={() => end(true)} />
      </Dialog>
    </PresenceContext>
  );
}

/** What Mantine computes itself; its colors come from theme.css. */
const mantineTheme = createTheme({
  primaryColor: 'green',
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    if (input.variant !== 'filled') return colors;
    return { ...colors, color: input.color === 'red' ? 'var(--card)' : 'var(--on-accent)' };
  },
  components: {
    // By name, because importing them would load them all with the first page.
    Checkbox: { classNames: { icon: parts.tick } },
    Code: { classNames: { root: parts.code } },
    Input: { classNames: { wrapper: parts.field } },
    Radio: { classNames: { icon: parts.tick } },
    SegmentedControl: {
      classNames: { root: parts.segments, indicator: parts.segment, label: parts.segmentLabel },
    },
  },
});

/** Creates the router: each screen is loaded when it is opened, or when the pointer rests on a link to it. */
function createConsoleRouter() {
  const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
  const routes = screens.map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyScreen(load) }),
  );
  return createRouter({
    routeTree: root.addChildren(routes),
    basepath: '/console',
    parseSearch: parseSearchWith(readValue),
    stringifySearch: stringifySearchWith(JSON.stringify, readValue),
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: () => <Loading text={t('loading.page')} />,
    // A screen whose file cannot be loaded, or that fails, does not affect the navigation.
    defaultErrorComponent: ScreenFailure,
  });
}

/** Numbers in URLs are ids that exceed JavaScript's safe integers, so they stay strings. */
function readValue(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number') throw new TypeError('Ids are texts.');
  return value;
}

function NotFound() {
  return (
    <Page title={t('notFound.title')}>
      <EmptyState
        title={t('notFound.what')}
        action={
          <Button component="a" href="/console" variant="default">
            {t('common.goHome')}
          </Button>
        }
      >
        {t('notFound.why')}
      </EmptyState>
    </Page>
  );
}

/** Checks who is signed in, and shows the sign-in page to everyone else. */
function SessionGate({ children }: { children: ReactNode }) {
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => findSession(signal),
  });
  const last = useLastSession(data);
  if (isLoading || data === undefined)
    return (
      <main className={styles.screen}>
        <ConnectionBanner />
        {isLoading ? <Loading text={t('loading.console')} /> : <Failure error={error} onRetry={() => void refetch()} />}
      </main>
    );
  if (data === null && last === undefined) return <SignInScreen />;
  if (data !== null && location.pathname === signedInPath) return <SignedInTab />;
  return (
    <SessionContext value={data ?? last}>
      {data === null && <SignedOutNotice />}
      {children}
    </SessionContext>
  );
}

/** Shown in a tab that was opened only to sign in: the page it was opened from continues. */
function SignedInTab() {
  useEffect(() => {
    signIns.postMessage('signed in');
    window.close();
  }, []);
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <h1>{t('signIn.doneTitle')}</h1>
        <p>{t('signIn.done')}</p>
        <a href="/console">{t('signIn.openHere')}</a>
      </div>
    </main>
  );
}

async function findSession(signal: AbortSignal): Promise<ConsoleSession | null> {
  try {
    return await ask('GET /latchkey/session', {}, signal);
  } catch (error) {
    if (error instanceof SignedOut) return null;
    throw error;
  }
}

/** Returns the session from before it ended: its screen stays, with what was typed, until the user signs in again. */
function useLastSession<Session>(session: Session | null | undefined): Session | undefined {
  const last = useRef<Session>(undefined);
  if (session !== null && session !== undefined) last.current = session;
  return last.current;
}

/** The session ended while the page was in use: the user signs in again over the page, which keeps what they typed. */
function SignedOutNotice() {
  return (
    <Dialog title={t('session.endedTitle')}>
      <p>{t('session.endedLead')}</p>
      <SignIn isOverPage />
    </Dialog>
  );
}

/** The first page of the console, for users who are not signed in. */
function SignInScreen() {
  const { server } = useContext(PageContext);
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <img src={mark} alt="" width="40" height="40" />
        <h1>{t.rich('signIn.title', { server: <bdi key="server">{server}</bdi> })}</h1>
        <p>{t('signIn.lead')}</p>
        <SignIn />
      </div>
      <p className={styles.fine}>{t('signIn.safety')}</p>
    </main>
  );
}

/**
 * The ways to sign in to the console. A wallet, a passkey or a key opens a session here. A chat platform redirects to its own site: over a
 * page with unsaved input, that happens in another tab.
 */
function SignIn({ isOverPage = false, onDone }: { isOverPage?: boolean; onDone?: () => void }) {
  const { methods } = useContext(PageContext);
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const finish = async () => {
    await queries.invalidateQueries({ queryKey: sessionKey });
    onDone?.();
  };
  const open = async (headers: Record<string, string>) => {
    setError(undefined);
    try {
      await openSession(headers);
      signIns.postMessage('signed in');
      await finish();
    } catch (problem) {
      setError(problem);
    }
  };
  const signedInElsewhere = useEffectEvent(() => void finish());
  useEffect(() => {
    const received = () => signedInElsewhere();
    signIns.addEventListener('message', received);
    return () => signIns.removeEventListener('message', received);
  }, []);
  return (
    <Choices>
      <LoginMethods
        methods={methods}
        slug="console"
        isOverPage={isOverPage}
        onToken={(token) => void open({ authorization: `AE ${token}` })}
      />
      {isLimited(error) ? (
        <Alert role="alert" color="yellow" title={t('signIn.limitedTitle')}>
          {t('signIn.limited')}
        </Alert>
      ) : (
        <Failure error={error} />
      )}
      <OperatorKey onKey={(key) => open({ 'x-api-key': key })} />
    </Choices>
  );
}

/** A passkey has no more permissions than the sign-in it was created with, and a bot's link is a limited one. */
function isLimited(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'SCOPE_NOT_ALLOWED';
}

/** Tabs of this browser share a session: a tab that signed in notifies the others. */
const signIns = new BroadcastChannel('latchkey-sign-ins');

/** Exchanges a credential for the session of this browser. The response sets the cookie, which no script can read. */
async function openSession(headers: Record<string, string>): Promise<void> {
  const response = await askAsConsole('/latchkey/session', { method: 'POST', headers });
  if (!response.ok) throw await readRefusal(response);
}

/** Sign-in for the operator, with a key created on the command line. */
function OperatorKey({ onKey }: { onKey(key: string): Promise<void> }) {
  const [key, setKey] = useState('');
  const [isSending, setIsSending] = useState(false);
  const send = async () => {
    setIsSending(true);
    await onKey(key.trim());
    setIsSending(false);
  };
  return (
    <details>
      <summary>{t('signIn.operator')}</summary>
      <Form
        submit={t('signIn.asOperator')}
        isQuiet
        action={{ isRunning: isSending, error: null }}
        canSubmit={key.trim() !== ''}
        onSubmit={() => void send()}
      >
        <PasswordInput
          label={t('signIn.operatorKey')}
          description={t('signIn.operatorKeyHow')}
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      </Form>
    </details>
  );
}
