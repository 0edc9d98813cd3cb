import Link from '@docusaurus/Link';
import { HtmlClassNameProvider, PageMetadata } from '@docusaurus/theme-common';
import useBaseUrl from '@docusaurus/useBaseUrl';
import BlogLayout from '@theme/BlogLayout';
import type { Props } from '@theme/BlogListPage';
import StructuredData from '@theme/BlogListPage/StructuredData';
import BlogListPaginator from '@theme/BlogListPaginator';
import BlogPostItems from '@theme/BlogPostItems';
import Heading from '@theme/Heading';
import SearchMetadata from '@theme/SearchMetadata';

/** The posts below a page heading, which the theme leaves out. */
export default function BlogListPage(props: Props) {
  const { metadata, items, sidebar } = props;
  const { blogTitle, blogDescription } = metadata;
  const blogUrl = useBaseUrl('/blog/');
  const feed = (file: string) => blogUrl + file;
  return (
    <HtmlClassNameProvider className="blog-wrapper blog-list-page">
      <PageMetadata title={blogTitle} description={blogDescription} />
      <SearchMetadata tag="blog_posts_list" />
      <StructuredData {...props} />
      <BlogLayout sidebar={sidebar}>
        <header className="margin-bottom--xl">
          <Heading as="h1">{blogTitle}</Heading>
          <p>{blogDescription}</p>
          <p>
            Follow it by <a href={feed('rss.xml')}>RSS</a>, <a href={feed('atom.xml')}>Atom</a> or{' '}
            <a href={feed('feed.json')}>JSON Feed</a>, or look through the <Link to="/blog/archive">archive</Link> and
            the <Link to="/blog/tags">tags</Link>.
          </p>
        </header>
        <BlogPostItems items={items} />
        <BlogListPaginator metadata={metadata} />
      </BlogLayout>
    </HtmlClassNameProvider>
  );
}
