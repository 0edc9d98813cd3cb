// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// The owner functions of a Safe. The deployer, not the owners, sets them; it holds and moves nothing.
contract SampleSafe {
    event AddedOwner(address indexed owner);
    event RemovedOwner(address indexed owner);
    event ChangedThreshold(uint256 threshold);

    error NotTheDeployer();
    error NotPossible();

    address public immutable deployer;
    address[] private _owners;
    uint256 private _threshold;

    modifier onlyDeployer() {
        require(msg.sender == deployer, NotTheDeployer());
        _;
    }

    constructor(address[] memory owners, uint256 threshold) {
        require(threshold > 0 && threshold <= owners.length, NotPossible());
        deployer = msg.sender;
        _owners = owners;
        _threshold = threshold;
    }

    function getOwners() external view returns (address[] memory) {
        return _owners;
    }

    function getThreshold() external view returns (uint256) {
        return _threshold;
    }

    function isOwner(address account) public view returns (bool) {
        for (uint256 i = 0; i < _owners.length; i++) if (_owners[i] == account) return true;
        return false;
    }

    function addOwner(address owner) external onlyDeployer {
        require(owner != address(0) && !isOwner(owner), NotPossible());
        _owners.push(owner);
        emit AddedOwner(owner);
    }

    function removeOwner(address owner) external onlyDeployer {
        require(isOwner(owner) && _owners.length > _threshold, NotPossible());
        for (uint256 i = 0; i < _owners.length; i++) {
            if (_owners[i] == owner) _owners[i] = _owners[_owners.length - 1];
        }
        _owners.pop();
        emit RemovedOwner(owner);
    }

    function changeThreshold(uint256 threshold) external onlyDeployer {
        require(threshold > 0 && threshold <= _owners.length, NotPossible());
        _threshold = threshold;
        emit ChangedThreshold(threshold);
    }
}
