import {
  createContext,
  Fragment,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react';
import { useLocation } from 'wouter';

interface Hosted {
  /** The page that it belongs to. */
  path: string;
  element: ReactNode;
}

const HostContext = createContext<(key: string, hosted: Hosted | undefined) => void>(() => {});

/**
 * Shows the dialogs of actions. What has opened one can disappear while it is open, such as the row of an object that it
 * deletes: the dialog stays until it is closed or another page is opened.
 */
export function DialogHost({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const [dialogs, setDialogs] = useState<ReadonlyMap<string, Hosted>>(new Map());
  // Those of another page would be open again on the way back to it.
  useEffect(() => {
    setDialogs((before) => {
      const next = [...before].filter(([, hosted]) => hosted.path === path);
      return next.length < before.size ? new Map(next) : before;
    });
  }, [path]);
  const show = useMemo(
    () => (key: string, hosted: Hosted | undefined) =>
      setDialogs((before) => {
        if (!hosted && !before.has(key)) return before;
        const next = new Map(before);
        if (hosted) next.set(key, hosted);
        else next.delete(key);
        return next;
      }),
    [],
  );
  return (
    <HostContext value={show}>
      {children}
      {[...dialogs].map(
        ([key, hosted]) => hosted.path === path && <Fragment key={key}>{hosted.element}</Fragment>,
      )}
    </HostContext>
  );
}

/** Shows the dialog that `open` gives, if there is one, until it is closed. */
export function useHosted(open: ((close: () => void) => ReactNode) | undefined, closed: () => void): void {
  const key = useId();
  const [path] = useLocation();
  const show = useContext(HostContext);
  // Without dependencies: the dialog follows what its page knows.
  useLayoutEffect(() => {
    const close = () => {
      show(key, undefined);
      closed();
    };
    show(key, open && { path, element: open(close) });
  });
}
