import { describeCoordinator } from './coordinator-conformance.ts';
import { makeHubBench, makeHubRegisterBench } from './hub-benches.ts';

describeCoordinator("the hub's register", makeHubRegisterBench);
describeCoordinator('the hub', makeHubBench);
