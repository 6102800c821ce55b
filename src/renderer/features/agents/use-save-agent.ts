import { useState } from 'react';
import type { StrategyProblem } from '../../../shared/contract/strategy.ts';
import { useAction } from '../../state/use-action.ts';

/** Saving a file: done with an id, or nothing saved and a list of what to correct. */
export function useSaveAgent() {
  const action = useAction('agents.save');
  const [problems, setProblems] = useState<readonly StrategyProblem[]>([]);
  const [failure, setFailure] = useState('');
  async function save(fileName: string, source: string): Promise<string | null> {
    setFailure('');
    const answer = await action.run({ fileName, source });
    if (!answer.ok) {
      setProblems([]);
      setFailure(`${answer.error.message} ${answer.error.wayOut}`.trim());
      return null;
    }
    setProblems(answer.value.problems);
    return answer.value.problems.length === 0 ? answer.value.agentId : null;
  }
  return { save, problems, failure, isBusy: action.isBusy };
}
