import Link from '@docusaurus/Link';
import { PageMetadata } from '@docusaurus/theme-common';
import type { Props } from '@theme/BlogArchivePage';
import Heading from '@theme/Heading';
import Layout from '@theme/Layout';

const description = 'All posts of the Latchkey blog by year and date, newest first.';

/** Independent of the reader's time zone, so that the day is that of the post. */
const dayFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });

const yearOf = (date: string) => date.slice(0, 4);

export default function BlogArchivePage({ archive }: Props) {
  const years = new Set(archive.blogPosts.map(({ metadata }) => yearOf(metadata.date)));
  return (
    <Layout>
      <PageMetadata title="Archive" description={description} />
      <main className="container margin-vert--lg">
        <Heading as="h1">Archive</Heading>
        <p>{description}</p>
        {[...years].map((year) => (
          <section key={year}>
            <Heading as="h2" id={year}>
              {year}
            </Heading>
            <ul>
              {archive.blogPosts
                .filter(({ metadata }) => yearOf(metadata.date) === year)
                .map(({ metadata: { permalink, title, date } }) => (
                  <li key={permalink}>
                    <time dateTime={date}>{dayFormat.format(new Date(date))}</time>: <Link to={permalink}>{title}</Link>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </main>
    </Layout>
  );
}
