import '../styles/people.css';
import { ActionDialog } from '../act/dialog.tsx';
import { CreateDeployHook, RotateDeployHook } from '../documents/deploy-hooks.ts';
import { Example } from '../ui/example.tsx';
import { ShownOnce } from '../ui/shown-once.tsx';
import { text } from './strings.ts';

const { labels, hints } = text;

export function CreateDeployHookDialog({ uid, name, close }: { uid: string; name: string; close(): void }) {
  return (
    <ActionDialog
      draft={`create-hook ${uid}`}
      close={close}
      action={{
        label: text.create,
        title: text.createTitle(name),
        intro: text.createIntro,
        document: CreateDeployHook,
        form: {
          first: ['name', 'tagPattern'],
          labels,
          hints,
          fields: { name: { placeholder: undefined }, tagPattern: { placeholder: undefined } },
        },
        target: { component: { componentId: uid } },
      }}
      result={urlOf}
    />
  );
}

export function RotateDeployHookDialog({ hook, close }: { hook: Hook; close(): void }) {
  return (
    <ActionDialog
      close={close}
      action={{
        label: text.rotate,
        title: text.rotateTitle(hook.name),
        intro: text.rotateIntro,
        isDestructive: true,
        document: RotateDeployHook,
        input: () => ({ deployHook: { id: hook.id }, expectedRevision: hook.revision }),
      }}
      result={urlOf}
    />
  );
}
interface Hook {
  id: string;
  name: string;
  revision: number;
}

/** The URL, which is shown once, and how a pipeline uses it. */
const urlOf = (payload: unknown) => {
  const { url } = payload as { url: string };
  // A gateway that does not know its address gives the path alone.
  const address = new URL(url, location.origin).href;
  return (
    <>
      <ShownOnce value={address} notice={text.urlOnce} />
      <Example
        title={text.example}
        value={`curl --fail-with-body -X POST '${address}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"tag":"1.2.3"}'`}
      />
    </>
  );
};
