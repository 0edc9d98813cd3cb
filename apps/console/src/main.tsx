import type { PageData } from '@latchkey/kernel';
import { lazy, type ReactNode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { XReturnPage } from './account/x-return-page.tsx';
import { ConnectPage } from './connect/connect-page.tsx';
import { HandoffPage } from './handoff/handoff-page.tsx';
import { ConsentPage } from './login/consent-page.tsx';
import { EnterPage } from './login/enter-page.tsx';
import { FormPostPage } from './login/form-post-page.tsx';
import { LoginPage } from './login/login-page.tsx';
import { LogoutPage } from './login/logout-page.tsx';
import { SignedOutPage } from './login/signed-out-page.tsx';
import { loadMessages, t } from './messages/index.ts';
import { NoticePage } from './parts/notice-page.tsx';
import { Shell } from './parts/shell.tsx';
import { readPageData } from './read-page-data.ts';
import './style.css';

/** Loaded apart: only people inside Telegram need it. */
const JoinPage = lazy(() =>
  import('./join/join-page.tsx').then(
    ({ JoinPage }) => ({ default: JoinPage }),
    () => ({ default: () => <p role="alert">{t('error.notLoaded')}</p> }),
  ),
);

function pageOf(data: PageData): ReactNode {
  switch (data.page) {
    case 'connect':
      return <ConnectPage data={data} />;
    case 'join':
      return (
        <Suspense>
          <JoinPage data={data} />
        </Suspense>
      );
    case 'handoff':
      return <HandoffPage data={data} />;
    case 'enter':
      return <EnterPage data={data} />;
    case 'x-return':
      return <XReturnPage data={data} />;
    case 'login':
      return <LoginPage data={data} />;
    case 'logout':
      return <LogoutPage data={data} />;
    case 'signed-out':
      return <SignedOutPage data={data} />;
    case 'form-post':
      return <FormPostPage data={data} />;
    case 'consent':
      return <ConsentPage data={data} />;
    case 'notice':
      return <NoticePage data={data} />;
    case 'console':
      return null;
  }
}

const root = document.getElementById('root');
if (root !== null) {
  const data = readPageData();
  // Not awaited here: modules that await at their top are cut into more and larger files.
  void loadMessages().then(() =>
    createRoot(root).render(
      <Shell isNarrow={data.page !== 'connect'} canChooseLanguage={data.page !== 'notice'}>
        {pageOf(data)}
      </Shell>,
    ),
  );
}
