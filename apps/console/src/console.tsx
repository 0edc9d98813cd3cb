import { DirectionProvider } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { ConsoleApp } from './app/console-app.tsx';
import { loadMessages } from './messages/index.ts';
import { readPageData } from './read-page-data.ts';
import './app/console.css';

const data = readPageData();
const root = document.getElementById('root');
if (root !== null && data.page === 'console')
  void loadMessages().then(() =>
    createRoot(root).render(
      // Takes the direction from the document, which the server writes in the language of the page.
      <DirectionProvider>
        <ConsoleApp data={data} />
      </DirectionProvider>,
    ),
  );
