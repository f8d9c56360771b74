import '../../styles/start.css';
import { useView } from '../../api/view.ts';
import { StartQuery } from '../../documents/start.ts';
import { BlankCard, LoadError, Loading, PageHead } from '../../ui/blocks.tsx';
import { useCrumbs } from '../../ui/crumbs.ts';
import { WhomToAsk } from './ask.tsx';
import { progressOf } from './progress.ts';
import { Steps } from './steps.tsx';
import { text } from './strings.ts';

/** The way of an administrator to the first component. */
export function StartPage() {
  const { data, error, isLoading, retry } = useView(StartQuery, {});
  useCrumbs({ text: text.title, href: '/start' });
  if (isLoading) return <Loading />;
  if (!data) return error ? <LoadError error={error} retry={retry} /> : null;
  return (
    <>
      <PageHead title={text.title} meta={text.intro} />
      {progressOf(data).mayStart ? (
        <Steps />
      ) : (
        <BlankCard title={text.noTeams}>
          <WhomToAsk />
        </BlankCard>
      )}
    </>
  );
}
